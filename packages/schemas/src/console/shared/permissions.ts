import { z } from 'zod';

/**
 * Permissions of a person in an organization: `read`; `work` with records, runs and deliveries; `manage` keys,
 * triggers, workflows and members. `operate` covers the whole installation: creating organizations, and everything in
 * each of them.
 */
const permissions = ['read', 'work', 'manage', 'operate'] as const;

export type Permission = (typeof permissions)[number];

export const PermissionName = z.enum(permissions);

export const roles = {
  viewer: ['read'],
  member: ['read', 'work'],
  admin: ['read', 'work', 'manage'],
} as const satisfies Record<string, readonly Permission[]>;

export type Role = keyof typeof roles;

export const roleNames = Object.keys(roles) as [Role, ...Role[]];

export const RoleName = z.enum(roleNames);
