import type { TrashedRecord } from '../api/types.ts';
import { Id } from '../ui/controls/copy.tsx';

/** The record into which another one was merged; its id if it was deleted since. */
export function WinnerName({ winner: { id, name } }: { winner: NonNullable<TrashedRecord['merged_into']> }) {
  return name ? <bdi>{name}</bdi> : <Id id={id} />;
}
