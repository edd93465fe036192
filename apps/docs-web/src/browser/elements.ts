type Attributes = Readonly<Record<string, string | boolean>>;

/** Creates an element. An attribute with `true` has no value; one with `false` is left out. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes))
    if (value !== false) element.setAttribute(attribute, value === true ? '' : value);
  element.append(...children);
  return element;
}

/** Reads a stored choice; undefined if nothing is stored or storage is disabled. */
export function readStored(storage: 'localStorage' | 'sessionStorage', name: string): string | undefined {
  try {
    return window[storage].getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Stores a choice. If storage is disabled, the choice applies only to this page. */
export function store(storage: 'localStorage' | 'sessionStorage', name: string, value: string | undefined): void {
  try {
    if (value === undefined) window[storage].removeItem(name);
    else window[storage].setItem(name, value);
  } catch {
    // Storage is disabled.
  }
}
