import type { TrashedRecord } from '../api/types.ts';
import { Id } from '../ui/controls/copy.tsx';

/** Name of the record into which another record was merged; its id if it has since been deleted. */
export function WinnerName({ winner: { id, name } }: { winner: NonNullable<TrashedRecord['merged_into']> }) {
  return name ? <bdi>{name}</bdi> : <Id id={id} />;
}
