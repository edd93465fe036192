import { useVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useMemo, useState } from 'react';
import css from './data.module.css';
import { wrapText } from './text-lines.ts';

/**
 * Maximum length of a text that the browser wraps quickly, in characters. Find and select then work on the whole text.
 */
const wrappedCharactersMax = 20_000;
const overscanLines = 20;

/**
 * Text of any length in a box that scrolls. Long texts are split into lines, because a browser needs seconds to wrap
 * 500 KB.
 */
export function LongText({ text, label }: { text: string; label: string }) {
  const [box, setBox] = useState<HTMLDivElement | null>(null);
  return (
    <div ref={setBox} className={css.longText} tabIndex={0} role="region" aria-label={label}>
      {text.length > wrappedCharactersMax ? box && <Lines text={text} box={box} /> : <pre>{text}</pre>}
    </div>
  );
}

function Lines({ text, box }: { text: string; box: HTMLElement }) {
  const { columns, lineHeight } = useMeasures(box);
  const lines = useMemo(() => wrapText(text, columns), [text, columns]);
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box,
    estimateSize: () => lineHeight,
    overscan: overscanLines,
  });
  const items = virtualizer.getVirtualItems();
  const [first, last] = [items[0], items.at(-1)];
  return (
    <div style={{ height: virtualizer.getTotalSize() }}>
      {first && last && (
        <pre className={css.lines} style={{ transform: `translateY(${first.start}px)` }}>
          {lines.slice(first.index, last.index + 1).join('\n')}
        </pre>
      )}
    </div>
  );
}

/**
 * Returns a box's characters per line and its line height in px. Both are measured again when the box changes its size.
 */
function useMeasures(box: HTMLElement) {
  const [measures, setMeasures] = useState({ columns: 80, lineHeight: 20 });
  useLayoutEffect(() => {
    const measure = () => {
      const { fontSize, lineHeight, paddingLeft } = getComputedStyle(box);
      const width = box.clientWidth - 2 * Number.parseFloat(paddingLeft);
      const columns = Math.max(20, Math.floor(width / (Number.parseFloat(fontSize) * 0.62)));
      setMeasures({ columns, lineHeight: Number.parseFloat(lineHeight) });
    };
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    measure();
    return () => observer.disconnect();
  }, [box]);
  return measures;
}
