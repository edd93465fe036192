import type { Role } from '../api/types.ts';
import { textOf } from '../ui/controls/form-data.ts';

const may: Record<Role, string> = {
  viewer: 'read-only',
  member: 'can also replay deliveries, and retry and cancel runs',
  admin: 'can also manage keys, triggers, workflows and members',
};

/** Each role, and what it may do. */
export const roleOptions = Object.entries(may).map(([role, what]) => [role, `${role}: ${what}`] as const);

export const roleOf = (data: FormData) => textOf(data, 'role') as Role;
