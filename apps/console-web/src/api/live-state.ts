/** Whether the stream of changes is open in this tab. */
let isOpen = false;

export const isLive = () => isOpen;

export function becomeLive(next: boolean): void {
  isOpen = next;
}
