/** True while this tab is connected to the event stream. */
let isOpen = false;

export const isLive = () => isOpen;

export function becomeLive(next: boolean): void {
  isOpen = next;
}
