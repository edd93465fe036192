import type { ElementType, Key, ReactElement } from 'react';
import { Fragment, jsx as element, jsxs as elements } from 'react/jsx-runtime';
import { visibleText } from './visible-text.ts';

export { Fragment };

/**
 * Creates the elements of all pages, because `build.ts` sets this module as the source of the JSX functions. React
 * escapes markup in texts. This module also makes invisible characters visible, so that pages do not have to. Values
 * that a person copies or edits stay unchanged.
 */
export function jsx(type: ElementType, props: Props, key?: Key): ReactElement {
  return element(type, withVisibleTexts(type, props), key);
}

export function jsxs(type: ElementType, props: Props, key?: Key): ReactElement {
  return elements(type, withVisibleTexts(type, props), key);
}

type Props = Readonly<Record<string, unknown>>;

const texts = ['children', 'title', 'aria-label', 'placeholder'];

/** Shows invisible characters in the texts of elements. Components are skipped, because they render elements. */
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
