import { useMemo, useState } from 'react';
import { Button } from '../ui/controls/button.tsx';
import { countedText } from '../ui/data/count.ts';
import { Empty } from '../ui/data/empty.tsx';
import { type DiffLine, diffLines, type Fold, folded } from './line-diff.ts';
import css from './workflows.module.css';

export function Diff({ before, after, label }: { before: string; after: string; label: string }) {
  const lines = useMemo(() => diffLines(before, after), [before, after]);
  const count = (kind: DiffLine['kind']) => lines.filter((line) => line.kind === kind).length;
  const [added, removed] = [count('added'), count('removed')];
  if (added + removed === 0) return <Empty title="No differences" />;
  return (
    <section aria-label={label}>
      <p className={css.diffSum}>{`+${added} −${countedText(removed, 'line')}`}</p>
      <div className={css.diff}>
        {folded(lines).map((part, at) =>
          part.kind === 'fold' ? <FoldView key={at} fold={part} /> : <LineView key={at} line={part} />,
        )}
      </div>
    </section>
  );
}

function FoldView({ fold: { lines } }: { fold: Fold }) {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return lines.map((line) => <LineView key={line.before} line={line} />);
  return (
    <div className={css.fold}>
      <Button variant="link" onClick={() => setOpen(true)}>
        {`${lines.length} unchanged lines`}
      </Button>
    </div>
  );
}

const signs = { same: ' ', removed: '−', added: '+' };
const tags = { same: 'span', removed: 'del', added: 'ins' } as const;

function LineView({ line: { kind, text, before, after } }: { line: DiffLine }) {
  const Tag = tags[kind];
  return (
    <div className={css.line} data-kind={kind}>
      <span className={css.lineNumber}>{before}</span>
      <span className={css.lineNumber}>{after}</span>
      <Tag>{`${signs[kind]} ${text}`}</Tag>
    </div>
  );
}
