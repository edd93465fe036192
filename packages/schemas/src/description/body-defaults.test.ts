import { expect, test } from 'vitest';
import { describeBodyDefaults } from './body-defaults.ts';

test('defaults of body members, of any type, move into their descriptions', () => {
  const properties = {
    mode: { description: 'How.', default: 'upsert' },
    atomic: { default: false },
    count: { description: 'How many.', default: 5 },
    tags: { default: [] },
    fill: { description: 'Fields to fill.', default: {} },
  };
  describeBodyDefaults({ paths: { '/x': { post: { requestBody: { schema: { properties } } } } } });
  expect(properties).toEqual({
    mode: { description: 'How. By default `upsert`.' },
    atomic: { description: 'By default `false`.' },
    count: { description: 'How many. By default `5`.' },
    tags: { description: 'By default `[]`.' },
    fill: { description: 'Fields to fill.' },
  });
});
