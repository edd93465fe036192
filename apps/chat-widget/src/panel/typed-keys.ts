import type { TargetedKeyboardEvent } from 'preact';

/**
 * Matches keys that type no text. A page may need them at any time: to close something, to keep the focus in a dialog,
 * or as modifiers.
 */
const untyped = /^(?:Escape|Tab|Shift|Control|Alt|Meta|F\d+)$/;

/**
 * Hides a key that is typed into a field from the page's shortcuts. Outside the shadow root, the event seems to come
 * from `<relata-chat>`, so the page cannot know that the visitor is typing. Shortcuts with Ctrl or Meta still reach the
 * page, because they work in the page's own fields as well. Keys pressed outside a field also reach the page.
 */
function keepTyped(event: TargetedKeyboardEvent<HTMLElement>): void {
  const { target, key, ctrlKey, metaKey } = event;
  if (ctrlKey || metaKey || untyped.test(key)) return;
  if ((target as Element).matches('input, select, textarea')) event.stopPropagation();
}

export const typedKeys = { onKeyDown: keepTyped, onKeyPress: keepTyped, onKeyUp: keepTyped };
