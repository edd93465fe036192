import { type RefObject, useEffect, useEffectEvent } from 'react';

/** Input that exists only on the page. */
interface Draft {
  isUnsaved: () => boolean;
  /** The form that has the input; undefined if the input is in no form. */
  form?: RefObject<HTMLFormElement | null> | undefined;
  /** A search parameter whose change discards the input, like leaving the page. */
  lostWith?: string | undefined;
  /** Value of that parameter if the address has none. */
  byDefault?: string;
}

const drafts = new Set<Draft>();

/** Asks before the input is discarded, while the caller is on the page. */
export function useUnsaved(isUnsaved: () => boolean, more: Omit<Draft, 'isUnsaved'> = {}): void {
  const newest = useEffectEvent(isUnsaved);
  const { form, lostWith, byDefault } = more;
  useEffect(() => {
    const draft = { isUnsaved: () => newest(), form, lostWith, byDefault };
    drafts.add(draft);
    return () => void drafts.delete(draft);
  }, [form, lostWith, byDefault]);
}

/** Forgets all input of a person who is no longer signed in, so that leaving the page asks nothing. */
export const forgetUnsaved = () => drafts.clear();

export const isAnythingUnsaved = () => [...drafts].some(({ isUnsaved }) => isUnsaved());

export function hasUnsavedForm(within: Element | null): boolean {
  return [...drafts].some(({ form, isUnsaved }) => form?.current && within?.contains(form.current) && isUnsaved());
}

interface Place {
  pathname: string;
  search: object;
}

/** Returns true if a navigation discards input. Filters and open rows of the same page do not. */
export function isUnsavedLostBetween(current: Place, next: Place): boolean {
  const isOtherPage = current.pathname !== next.pathname;
  return [...drafts].some(({ isUnsaved, lostWith, byDefault }) => {
    const valueIn = ({ search }: Place) => (search as Record<string, unknown>)[lostWith!] ?? byDefault;
    const isOtherPart = lostWith !== undefined && valueIn(current) !== valueIn(next);
    return (isOtherPage || isOtherPart) && isUnsaved();
  });
}
