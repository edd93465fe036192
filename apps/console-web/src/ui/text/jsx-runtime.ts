import type { ElementType, Key, ReactElement } from 'react';
import { Fragment, jsx as element, jsxs as elements } from 'react/jsx-runtime';
import { visibleText } from './visible-text.ts';

export { Fragment };

/**
 * Makes the markup of all pages (`build.ts`). React shows markup in a text as text; this also shows unseen characters in
 * it, so that no page has to think of them. Values that a person copies or edits stay as they are.
 */
export function jsx(type: ElementType, props: Props, key?: Key): ReactElement {
  return element(type, withVisibleTexts(type, props), key);
}

export function jsxs(type: ElementType, props: Props, key?: Key): ReactElement {
  return elements(type, withVisibleTexts(type, props), key);
}

type Props = Readonly<Record<string, unknown>>;

const texts = ['children', 'title', 'aria-label', 'placeholder'];

/** Shows unseen characters in texts of elements. Components are left alone: they show their texts by elements. */
function withVisibleTexts(type: ElementType, props: Props): Props {
  if (typeof type === 'function') return props;
  let shown = props;
  for (const name of texts) {
    const text = visibleNode(props[name]);
    if (text !== props[name]) shown = { ...shown, [name]: text };
  }
  return shown;
}

function visibleNode(node: unknown): unknown {
  if (typeof node === 'string') return visibleText(node);
  if (!Array.isArray(node)) return node;
  const shown = node.map(visibleNode);
  return shown.some((part, at) => part !== node[at]) ? shown : node;
}
