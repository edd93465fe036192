import type { TargetedKeyboardEvent } from 'preact';

/** Keys that type nothing. A page uses them everywhere: to close, to hold the focus in a dialog, or while they are held. */
const untyped = /^(?:Escape|Tab|Shift|Control|Alt|Meta|F\d+)$/;

/**
 * Keeps a key that is typed into a field from the page's shortcuts. Outside the shadow root, the event comes from
 * `<relata-chat>`, so the page cannot know that the visitor is typing. Shortcuts with Ctrl or Meta still reach the page,
 * since they also work in the page's own fields, and so does every key that is pressed outside a field.
 */
function keepTyped(event: TargetedKeyboardEvent<HTMLElement>): void {
  const { target, key, ctrlKey, metaKey } = event;
  if (ctrlKey || metaKey || untyped.test(key)) return;
  if ((target as Element).matches('input, select, textarea')) event.stopPropagation();
}

export const typedKeys = { onKeyDown: keepTyped, onKeyPress: keepTyped, onKeyUp: keepTyped };
