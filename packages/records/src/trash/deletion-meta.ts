import type { Deleted } from './delete-record.ts';

const dayMs = 86_400_000;

/** Returns the time after which a record is purged from the trash. */
export const purgeAt = (deletedAt: string, trashDays: number): string =>
  new Date(Date.parse(deletedAt) + trashDays * dayMs).toISOString();

/** Returns the members of `meta` that describe a delete. */
export function deletionMeta({ deletionId, deletedAt, unlinked, deleted }: Deleted<unknown>, trashDays: number) {
  return {
    action: 'deleted' as const,
    deletion_id: deletionId,
    deleted_at: deletedAt,
    purge_at: purgeAt(deletedAt, trashDays),
    unlinked,
    ...(deleted && { deleted }),
  };
}
