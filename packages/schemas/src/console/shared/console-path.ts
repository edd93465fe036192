import { z } from 'zod';
import { pathId } from '../../fields/path-id.ts';

/** Path prefix of all operations of the console. */
export const consolePath = '/console/api';

export const orgPath = `${consolePath}/orgs/{org}` as const;

const id = pathId.shape.id;

/** The `{org}` of a path. */
export const pathOrg = z.object({ org: id });

/** Path parameters `{org}`, and `{id}` for an object of the organization. */
export const pathOrgAndId = z.object({ ...pathOrg.shape, id });
