import { z } from 'zod';
import { required } from '../fields/field.ts';
import { readOnlyResource } from '../resource.ts';
import { nameText } from '../fields/text.ts';

export const pipeline = readOnlyResource({
  name: 'pipeline',
  plural: 'pipelines',
  tag: { name: 'Pipelines', description: 'Sequences of stages that a sale goes through. Created by the operator.' },
  description: 'A sequence of stages that a sale goes through.',
  fields: { name: required(nameText()), active: required(z.boolean()), is_default: required(z.boolean()) },
  filters: {},
  list: { filters: { id: ['in'] } },
  example: { name: 'Sales', active: true, is_default: true },
});

export type Pipeline = z.output<typeof pipeline.record>;
