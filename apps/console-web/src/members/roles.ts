import type { Role } from '../api/types.ts';

const may: Record<Role, string> = {
  viewer: 'sees everything but secrets and settings',
  member: 'also works with records, runs and deliveries',
  admin: 'also manages keys, triggers, members and settings',
};

/** Each role, and what it may do. */
export const roleOptions = Object.entries(may).map(([role, what]) => [role, `${role}: ${what}`] as const);

export const roleOf = (data: FormData) => data.get('role') as Role;
