import { readWith } from '@relata/db';
import { AppError } from '@relata/schemas/errors';
import { lockSettings } from '../settings/settings-lock.sql.ts';
import { refuseUsedValue } from '../settings/unique-value.sql.ts';
import type { RecordRules } from '../table/record-table.ts';

/** Fields that an invitation or a membership sets. */
const ofMembers = ['email', 'role', 'status'];

/**
 * Rules of users: e-mail addresses are unique. A patch cannot change `email`, `role` or `status` of members and invited
 * users; the console changes them, under Members.
 */
export const userRules: RecordRules = {
  create: {
    complete: async (on, given) => {
      await lockSettings(on.db, on.orgId);
      await refuseUsedValue(on, given);
      return given;
    },
  },
  update: {
    fields: ofMembers,
    lock: ({ db, orgId }) => lockSettings(db, orgId),
    complete: (_on, _record, patch) => Promise.resolve(patch),
    approve: async (on, record, patch) => {
      const changed = ofMembers.filter((name) => patch[name] !== undefined && patch[name] !== record[name]);
      if (changed.length === 0) return;
      if ((await findMembership(on.db, on.orgId, record['id'] as string)).is_member)
        throw new AppError('conflict', memberMessage(changed));
      if (changed.includes('email')) await refuseUsedValue(on, patch, record['id'] as string);
    },
  },
};

const memberMessage = (changed: readonly string[]) =>
  `The user is a member or was invited. Change ${changed.join(', ')} under Members, in the console.`;

const findMembership = readWith<{ is_member: boolean }, [orgId: string, id: string]>(
  'users.is_member',
  `SELECT EXISTS (SELECT FROM memberships WHERE org_id = $1 AND user_id = $2)
     OR EXISTS (SELECT FROM links WHERE org_id = $1 AND user_id = $2 AND kind = 'invite' AND used_at IS NULL) AS is_member`,
);
