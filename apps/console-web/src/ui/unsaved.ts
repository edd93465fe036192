import { type RefObject, useEffect, useEffectEvent } from 'react';

/** Input that exists only on the page. */
interface Draft {
  isUnsaved: () => boolean;
  /** The form that has the input; undefined if the input is in no form. */
  form?: RefObject<HTMLFormElement | null> | undefined;
}

const drafts = new Set<Draft>();

/** Asks before the input is discarded, while the caller is on the page. */
export function useUnsaved(isUnsaved: () => boolean, form?: Draft['form']): void {
  const newest = useEffectEvent(isUnsaved);
  useEffect(() => {
    const draft = { isUnsaved: () => newest(), form };
    drafts.add(draft);
    return () => void drafts.delete(draft);
  }, [form]);
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

/** Returns a page, with the tab or version that it shows. Filters and open rows do not make another page. */
function pageOf({ pathname, search }: Place): string {
  const { tab = 'map', version } = search as { tab?: string; version?: number };
  return JSON.stringify([pathname, tab, version]);
}

/** Returns true if a navigation discards input. */
export const isUnsavedLostBetween = (current: Place, next: Place) =>
  pageOf(current) !== pageOf(next) && isAnythingUnsaved();
