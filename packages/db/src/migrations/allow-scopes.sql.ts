/**
 * Returns a statement that allows keys to have these scopes and no others. Each migration writes out the whole list,
 * since it must not change later: the scopes of `packages/schemas/src/scopes.ts`, and those that the previous release
 * may still grant to a key.
 */
export function allowScopes(scopes: readonly string[]): string {
  const list = scopes.map((scope) => `'${scope.replaceAll("'", "''")}'`).join(', ');
  return `
    ALTER TABLE api_keys DROP CONSTRAINT api_keys_scopes_check,
      ADD CONSTRAINT api_keys_scopes_check CHECK (scopes <@ ARRAY[${list}]);`;
}
