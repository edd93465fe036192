import type { Tokens } from 'marked';
import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

interface TableProps {
  /** Accessible name of the scrolling region; unique in the conversation. */
  name: string | undefined;
  table: Tokens.Table;
  contentOf: (cell: Tokens.TableCell) => ComponentChildren;
}

/** Shows a table. If it is wider than the answer, it scrolls separately and fades out on the side with more columns. */
export function Table({ name, table: { header, rows }, contentOf }: TableProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const { hidden, look } = useHiddenSides(scroller);
  const cell = (token: Tokens.TableCell) => {
    const Cell = token.header ? 'th' : 'td';
    return <Cell class={token.align ?? undefined}>{contentOf(token)}</Cell>;
  };
  return (
    <div class={`table ${hidden}`}>
      <div class="sideways" tabIndex={0} role="region" aria-label={name} ref={scroller} onScroll={look}>
        <table>
          <thead>
            <tr>{header.map(cell)}</tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr>{row.map(cell)}</tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

/** Tolerance for positions, which are fractions of a pixel on a zoomed page. */
const tolerancePx = 1;

/** Returns classes for the sides on which content is scrolled out of view: `more-before`, `more-after`. */
function useHiddenSides(scroller: RefObject<HTMLElement | null>) {
  const [hidden, setHidden] = useState('');
  const look = () => {
    const { scrollLeft, scrollWidth, clientWidth } = scroller.current!;
    // In right-to-left text, positions are negative.
    const passed = Math.abs(scrollLeft);
    const before = passed > tolerancePx ? 'more-before' : '';
    const after = scrollWidth - clientWidth - passed > tolerancePx ? 'more-after' : '';
    setHidden(`${before} ${after}`.trim());
  };
  useLayoutEffect(() => {
    const observer = new ResizeObserver(look);
    for (const element of [scroller.current!, scroller.current!.firstElementChild!]) observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { hidden, look };
}
