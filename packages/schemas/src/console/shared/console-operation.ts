import { z } from 'zod';
import { pathId } from '../../fields/path-id.ts';
import type { ConsoleSpec } from '../../operation.ts';

/** Path prefix of all operations of the console. */
export const consolePath = '/console/api';

const pathParameter = pathId.shape.id;

type NamesIn<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
type ParamsOf<Path> = [NamesIn<Path>] extends [never]
  ? Record<never, never>
  : { params: z.ZodObject<Record<NamesIn<Path>, typeof pathParameter>> };

type Declared = Omit<ConsoleSpec, 'id' | 'method' | 'path' | 'params'>;

/** Declares an operation at a path below `consolePath`, whose parameters are all ids. `identified` adds its id. */
export function consoleOperation<
  const Method extends ConsoleSpec['method'],
  const Path extends `/${string}`,
  const Spec extends Declared,
>(method: Method, path: Path, spec: Spec) {
  const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => [name!, pathParameter]);
  const params = names.length > 0 && { params: z.object(Object.fromEntries(names)) };
  const declared = { method, path: `${consolePath}${path}` as const, ...spec };
  return { ...declared, ...params } as unknown as typeof declared & ParamsOf<Path>;
}

type Identified<Operations> = { [Id in keyof Operations]: Operations[Id] & { id: Id } };

/** Gives each operation its name as its id. */
export function identified<const Operations extends Record<string, object>>(operations: Operations) {
  return Object.fromEntries(
    Object.entries(operations).map(([id, spec]) => [id, { id, ...spec }]),
  ) as Identified<Operations>;
}
