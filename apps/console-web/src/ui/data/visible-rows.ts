import { defaultRangeExtractor, type Range, useWindowVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import { EntryStates, useEntry } from './history-entry.ts';

/**
 * Maximum number of rows without virtual scrolling. Up to this number, find and select in the page work on all rows.
 */
const virtualFrom = 60;
const overscan = 12;

/** The state of a list, kept per history entry, so that Back shows the same rows. */
interface Place {
  heights: VirtualItem[];
  row: string | undefined;
}

const places = new EntryStates<Place>();

/** A row to show, and the height of the omitted rows before it. */
export interface VisibleRow {
  index: number;
  gap: number;
}

interface VisibleRowsOptions {
  label: string;
  count: number;
  /** Must be the same function in each render, because a new function causes all rows to be measured again. */
  keyOf: (index: number) => string;
  body: RefObject<HTMLElement | null>;
  onSee: ((first: number, last: number) => void) | undefined;
}

/** Returns the rows of a long list that are in the page: the visible ones, some around them, and the focused one. */
export function useVisibleRows({ label, count, keyOf, body, onSee }: VisibleRowsOptions) {
  const entry = useEntry(label);
  const [left] = useState(() => places.get(entry));
  const [before] = useState(() => indexOfKey(left?.row, count, keyOf));
  const [focused, setFocused] = useState(before);
  const isVirtual = count > virtualFrom;
  const top = useTop(body, isVirtual);
  // Reads the estimate once, because reading it per row would compute the page's styles each time.
  const [estimated] = useState(rowHeight);
  const rangeExtractor = useCallback(
    (range: Range) => withRow(defaultRangeExtractor(range), focused, count),
    [focused, count],
  );
  const virtualizer = useWindowVirtualizer<HTMLElement>({
    count,
    enabled: isVirtual,
    estimateSize: () => estimated,
    overscan,
    scrollMargin: top,
    getItemKey: keyOf,
    rangeExtractor,
    initialMeasurementsCache: left?.heights ?? [],
  });
  const range = isVirtual ? virtualizer.range : { startIndex: 0, endIndex: count - 1 };
  const { startIndex = 0, endIndex = 0 } = range ?? {};
  const see = useEffectEvent((first: number, last: number) => onSee?.(first, last));
  useEffect(() => see(startIndex, endIndex), [startIndex, endIndex]);
  useLeaving(entry, () => ({
    heights: isVirtual ? virtualizer.takeSnapshot() : [],
    row: focused === undefined || focused >= count ? undefined : keyOf(focused),
  }));
  return {
    rows: isVirtual ? gapped(virtualizer.getVirtualItems(), top) : allOf(count),
    gapBelow: isVirtual ? below(virtualizer.getVirtualItems().at(-1), virtualizer.getTotalSize() + top) : 0,
    measure: isVirtual ? virtualizer.measureElement : undefined,
    focused,
    setFocused,
    /** The row that had the focus when the list was left. */
    before,
  };
}

/**
 * Returns the distance of the rows from the top of the document, in px. It is measured again when the height of the
 * document changes, for example when something above the rows appears. Measuring it after each render would force a
 * layout at each key press.
 */
function useTop(body: RefObject<HTMLElement | null>, isVirtual: boolean): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    if (!isVirtual) return;
    const measure = () => setTop(Math.round(body.current!.getBoundingClientRect().top + scrollY));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [body, isVirtual]);
  return top;
}

function useLeaving(entry: string, place: () => Place): void {
  const newest = useRef({ entry, place });
  useLayoutEffect(() => void (newest.current = { entry, place }));
  useLayoutEffect(() => () => places.keep(newest.current.entry, newest.current.place()), []);
}

function indexOfKey(row: string | undefined, count: number, keyOf: (index: number) => string): number | undefined {
  if (row === undefined) return undefined;
  return Array.from({ length: count }, (_, at) => at).find((at) => keyOf(at) === row);
}

const rowHeight = () => Number.parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--row')) + 1;

function withRow(indexes: number[], row: number | undefined, count: number): number[] {
  if (row === undefined || row >= count || indexes.includes(row)) return indexes;
  return [...indexes, row].toSorted((a, b) => a - b);
}

function gapped(items: readonly VirtualItem[], top: number): VisibleRow[] {
  return items.map(({ index, start }, at) => ({ index, gap: Math.max(0, start - (items[at - 1]?.end ?? top)) }));
}

const below = (last: VirtualItem | undefined, end: number) => (last ? Math.max(0, end - last.end) : 0);

const allOf = (count: number): VisibleRow[] => Array.from({ length: count }, (_, index) => ({ index, gap: 0 }));
