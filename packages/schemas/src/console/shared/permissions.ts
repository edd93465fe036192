import { z } from 'zod';

/**
 * What someone may do in an organization: read; work with records, runs and deliveries; manage keys, triggers, workflows and
 * members. `operate` is of the installation: organizations, and everything in each of them.
 */
const permissions = ['read', 'work', 'manage', 'operate'] as const;

export type Permission = (typeof permissions)[number];

export const PermissionName = z.enum(permissions);

/** The role of a member, and what it permits. */
export const roles = {
  viewer: ['read'],
  member: ['read', 'work'],
  admin: ['read', 'work', 'manage'],
} as const satisfies Record<string, readonly Permission[]>;

export type Role = keyof typeof roles;

export const roleNames = Object.keys(roles) as [Role, ...Role[]];

export const RoleName = z.enum(roleNames);
