import { expect, test } from 'vitest';
import { openApiDocument } from './description/openapi.ts';
import type { OperationSpec } from './operation.ts';
import { chatOperations, recordsOperations } from './operations.ts';

const operations: Record<string, OperationSpec> = { ...recordsOperations, ...chatOperations };

test('every operation is listed under its own id', () => {
  for (const [id, spec] of Object.entries(operations)) expect(spec.id).toBe(id);
});

test('no two operations share a method and a path', () => {
  const routes = Object.values(operations).map(({ method, path }) => `${method} ${path}`);
  expect(new Set(routes).size).toBe(routes.length);
});

test.each(Object.values(operations).filter(({ body }) => body))(
  '$id: its documented example is valid',
  ({ body, example }) => {
    expect(body!.safeParse(example)).toMatchObject({ success: true });
  },
);

test('the description contains every operation of the API and nothing else, such as the webhook receiver', () => {
  const { paths } = openApiDocument();
  const described = Object.entries(paths ?? {}).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method} ${path}`),
  );
  const served = Object.values(operations).map(({ method, path }) => `${method} ${path}`);
  expect(described.toSorted()).toEqual(served.toSorted());
});

test('a browser can load the package: it imports nothing from Node', async () => {
  const { readdir, readFile } = await import('node:fs/promises');
  const entries = await readdir(import.meta.dirname, { recursive: true });
  const files = entries.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  expect(files).toContain('resources/account.ts');
  for (const file of files) {
    const imports = [...(await readFile(`${import.meta.dirname}/${file}`, 'utf8')).matchAll(/from '([^']+)'/g)].map(
      ([, name]) => name!,
    );
    for (const name of imports)
      expect(withinPackage(file, name), file).toMatch(/^(\/src\/|zod$|@asteasolutions\/zod-to-openapi$)/);
  }
});

/** Returns a relative import as a path from the package, and any other unchanged. */
function withinPackage(file: string, name: string): string {
  return name.startsWith('.') ? new URL(name, `file:///src/${file}`).pathname : name;
}
