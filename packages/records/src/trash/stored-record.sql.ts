/**
 * Returns SQL for the record in the entry `entry` of the trash, as a restore brings it back: undos of merges may have
 * changed its references since it was deleted.
 */
export const storedRecord = (entry: string) => `(${entry}.record::jsonb || coalesce(${entry}.relinked, '{}'))`;

/** Returns SQL for the current value of a reference of the record in the entry `entry` of the trash, as JSON. */
export const storedReference = (entry: string, field: string) =>
  `coalesce(${entry}.relinked -> '${field}', (${entry}.record -> '${field}')::jsonb)`;
