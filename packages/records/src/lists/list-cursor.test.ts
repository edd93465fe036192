import { newId } from '@relata/db';
import { expect, test } from 'vitest';
import { decodeTimeCursor, encodeCursor } from './list-cursor.ts';

const scope = { orgId: newId(), list: 'trash', sort: '-deleted_at', filters: [] };

const cursorAt = (time: string) => encodeCursor(scope, { id: newId(), key: time });

test('rejects a cursor with a time that PostgreSQL cannot store', () => {
  const time = '2026-11-20T10:00:00.000Z';
  expect(decodeTimeCursor(scope, cursorAt(time))).toMatchObject({ time });
  for (const wrong of ['0000-01-01T00:00:00.000Z', '2026-02-30T25:00:00.000Z', '2026-11-20'])
    expect(() => decodeTimeCursor(scope, cursorAt(wrong)), wrong).toThrow('invalid');
});
