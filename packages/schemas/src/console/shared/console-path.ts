import { z } from 'zod';
import { pathId } from '../../fields/path-id.ts';

/** What the paths of all operations of the console begin with. */
export const consolePath = '/console/api';

export const orgPath = `${consolePath}/orgs/{org}` as const;

const id = pathId.shape.id;

/** The `{org}` of a path. */
export const pathOrg = z.object({ org: id });

/** The same with the `{id}` of something in it. */
export const pathOrgAndId = z.object({ ...pathOrg.shape, id });
