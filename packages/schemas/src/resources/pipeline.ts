import { z } from 'zod';
import { required } from '../fields/field.ts';
import { readOnlyResource } from '../resource.ts';
import { nameText } from '../fields/text.ts';

export const pipeline = readOnlyResource({
  name: 'pipeline',
  plural: 'pipelines',
  tag: { name: 'Pipelines', description: 'The ways that sales go. Made by the operator.' },
  description: 'A way that sales go, in stages.',
  fields: { name: required(nameText()), active: required(z.boolean()), is_default: required(z.boolean()) },
  filters: {},
  example: { name: 'Sales', active: true, is_default: true },
});

export type Pipeline = z.output<typeof pipeline.record>;
