import { make } from './elements.ts';

const confirmedMs = 1_500;

/** Adds a copy button to each block of code. */
export function addCopyButtons(): void {
  for (const block of document.querySelectorAll<HTMLPreElement>('article pre')) {
    const button = make('button', { type: 'button', class: 'copy' }, 'Copy');
    button.addEventListener('click', () => void copy(block, button));
    const frame = make('div', { class: 'code' });
    block.replaceWith(frame);
    frame.append(block, button);
  }
}

async function copy(block: HTMLPreElement, button: HTMLButtonElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(block.textContent);
    button.textContent = 'Copied';
  } catch {
    // Browsers offer the clipboard only over HTTPS and on localhost. Elsewhere the text is selected, so that the reader
    // can copy it.
    getSelection()?.selectAllChildren(block);
    button.textContent = 'Selected';
  }
  setTimeout(() => (button.textContent = 'Copy'), confirmedMs);
}
