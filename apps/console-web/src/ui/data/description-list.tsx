import type { ReactNode } from 'react';
import css from './data.module.css';

interface DescriptionListProps {
  facts: readonly (readonly [name: string, value: ReactNode])[];
  /** True to show facts side by side instead of one per line. */
  isDense?: boolean;
}

export function DescriptionList({ facts, isDense }: DescriptionListProps) {
  return (
    <dl className={css.facts} data-dense={isDense || undefined}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const units = [
  ['MB', 1_000_000],
  ['kB', 1_000],
] as const;

/** Formats a size: `980 B`, `1.2 kB`, `3.4 MB`. */
export function bytesText(bytes: number): string {
  const [unit, size] = units.find(([, from]) => bytes >= from) ?? ['B', 1];
  return `${size === 1 ? bytes : (bytes / size).toFixed(1)} ${unit}`;
}
