import MiniSearch, { type SearchResult } from 'minisearch';
import { indexOptions, searchOptions } from '../search-options.ts';
import { make, readStored } from './elements.ts';

const resultsMax = 12;
const indexTimeoutMs = 30_000;

type Index = Pick<MiniSearch, 'search'>;

let loading: Promise<Index> | undefined;

/** Loads the index on the first call. If loading fails, the next call tries again. */
function loadIndex(): Promise<Index> {
  loading ??= fetch('/docs/search.json', { signal: AbortSignal.timeout(indexTimeoutMs) }).then(async (response) => {
    if (!response.ok) throw new Error(`The search index could not be loaded (HTTP ${response.status}).`);
    return MiniSearch.loadJSON(await response.text(), indexOptions);
  });
  loading.catch(() => (loading = undefined));
  return loading;
}

/**
 * Makes the search in the header work: `/` or Ctrl+K focuses it, arrow keys choose a result, Enter opens the result,
 * and Escape closes the list.
 */
export function addSearch(): void {
  const area = document.querySelector<HTMLElement>('search');
  const input = document.querySelector<HTMLInputElement>('#search');
  const list = document.querySelector<HTMLUListElement>('#results');
  if (!area || !input || !list) return;
  const status = area.querySelector('[role=status]')!;
  area.hidden = false;
  area.querySelector('kbd')?.toggleAttribute('hidden', !isSlashOn());
  let active = -1;

  const options = () => [...list.querySelectorAll<HTMLLIElement>('[role=option]')];
  const activate = (at: number) => {
    const all = options();
    active = all.length === 0 ? -1 : (at + all.length) % all.length;
    all.forEach((option, place) => option.setAttribute('aria-selected', String(place === active)));
    const chosen = all[active];
    if (chosen) input.setAttribute('aria-activedescendant', chosen.id);
    else input.removeAttribute('aria-activedescendant');
    chosen?.scrollIntoView({ block: 'nearest' });
  };
  const open = (isOpen: boolean) => {
    list.hidden = !isOpen;
    input.setAttribute('aria-expanded', String(isOpen));
    if (!isOpen) activate(-1);
  };
  const show = async () => {
    const words = input.value.trim();
    if (words === '') return open(false);
    const found = await findParts(words);
    // The reader has typed more in the meantime.
    if (input.value.trim() !== words) return;
    const shown = found?.slice(0, resultsMax).map(optionOf) ?? [];
    const note = found === undefined ? 'The search could not be loaded. Try again.' : `Nothing found for “${words}”.`;
    list.replaceChildren(...(shown.length > 0 ? shown : [make('li', { class: 'none', role: 'presentation' }, note)]));
    status.textContent = shown.length > 0 ? `${shown.length} results` : note;
    open(true);
    activate(shown.length > 0 ? 0 : -1);
  };

  const follow = (option: HTMLElement | null | undefined) => {
    if (option) location.assign(option.dataset['url']!);
    open(false);
  };

  input.addEventListener('focus', () => void loadIndex().catch(() => undefined), { once: true });
  input.addEventListener('input', () => void show());
  input.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && !list.hidden) {
      event.preventDefault();
      activate(active + step);
    } else if (event.key === 'Enter') {
      follow(options()[active]);
    } else if (event.key === 'Escape') {
      event.preventDefault();
      if (list.hidden) input.blur();
      open(false);
    }
  });
  area.addEventListener('focusout', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && area.contains(relatedTarget))) open(false);
  });
  // Pressing on a result must not move the focus, because the list would close before the click.
  list.addEventListener('pointerdown', (event) => event.preventDefault());
  list.addEventListener('click', ({ target }) => follow((target as Element).closest<HTMLElement>('[role=option]')));
  addEventListener('keydown', (event) => {
    const isChord = event.ctrlKey || event.metaKey;
    const isShortcut =
      event.key === '/'
        ? !isChord && !event.altKey && !isTyping(event.target) && isSlashOn()
        : event.key === 'k' && isChord;
    if (!isShortcut) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
}

/** Returns false if shortcuts are disabled in the console. A console on the same origin shares this storage. */
const isSlashOn = () => readStored('localStorage', 'relata.shortcuts') !== 'off';

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');

async function findParts(words: string): Promise<SearchResult[] | undefined> {
  try {
    const index = await loadIndex();
    const found = index.search(words, searchOptions);
    return found.length > 0 ? found : index.search(words, { ...searchOptions, combineWith: 'OR' });
  } catch {
    return undefined;
  }
}

function optionOf({ url, page, title, excerpt }: SearchResult, at: number): HTMLLIElement {
  const heading = title === page ? page : `${page} › ${title}`;
  const attributes = { role: 'option', id: `result-${at}`, 'aria-selected': 'false', 'data-url': String(url) };
  return make('li', attributes, make('b', {}, heading), make('span', {}, String(excerpt)));
}
