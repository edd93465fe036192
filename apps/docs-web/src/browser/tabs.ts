import { make, readStored, store } from './elements.ts';

const stored = 'relata.docs.language';

/** Turns the samples of each operation into tabs. All tabs show the language that was chosen last. */
export function addTabs(): void {
  const groups = [...document.querySelectorAll<HTMLPreElement>('pre[data-language]')]
    .filter((block) => !isSample(block.previousElementSibling) && isSample(block.nextElementSibling))
    .map(addTabList);
  const choose = (language: string) => {
    for (const show of groups) show(language);
  };
  const chosen = readStored('localStorage', stored);
  if (chosen) choose(chosen);
  document.addEventListener('choose-language', (event) => {
    const { detail } = event as CustomEvent<string>;
    choose(detail);
    store('localStorage', stored, detail);
  });
}

const isSample = (element: Element | null): element is HTMLPreElement =>
  element instanceof HTMLPreElement && element.dataset['language'] !== undefined;

let listsCount = 0;

/**
 * Inserts a list of tabs before consecutive samples, the first of them being `first`. Returns a function that shows
 * the sample of a language.
 */
function addTabList(first: HTMLPreElement): (language: string) => void {
  const blocks = [first];
  for (let next = first.nextElementSibling; isSample(next); next = next.nextElementSibling) blocks.push(next);
  const list = listsCount++;
  const tabs = blocks.map((block, at) => {
    block.id = `sample-${list}-${at}`;
    block.setAttribute('role', 'tabpanel');
    block.setAttribute('aria-labelledby', `tab-${list}-${at}`);
    const attributes = { type: 'button', role: 'tab', id: `tab-${list}-${at}`, 'aria-controls': block.id };
    return make('button', attributes, block.dataset['language']!);
  });
  const show = (language: string) => {
    const chosen = blocks.findIndex(({ dataset }) => dataset['language'] === language);
    if (chosen < 0) return;
    blocks.forEach((block, at) => {
      // CSS hides the frame around a block that has this attribute.
      block.toggleAttribute('data-unchosen', at !== chosen);
      tabs[at]!.setAttribute('aria-selected', String(at === chosen));
      tabs[at]!.tabIndex = at === chosen ? 0 : -1;
    });
  };
  const select = (tab: HTMLButtonElement) => {
    document.dispatchEvent(new CustomEvent('choose-language', { detail: tab.textContent }));
    tab.focus();
  };
  const tabList = make('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Language of the sample' }, ...tabs);
  tabList.addEventListener('click', ({ target }) => target instanceof HTMLButtonElement && select(target));
  tabList.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = tabs.indexOf(event.target as HTMLButtonElement);
    select(tabs[(at + step + tabs.length) % tabs.length]!);
  });
  first.before(tabList);
  show(first.dataset['language']!);
  return show;
}
