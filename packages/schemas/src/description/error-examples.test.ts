import { expect, test } from 'vitest';
import { collectErrorExamples } from './error-examples.ts';
import { errors } from '../errors/errors.ts';
import { openApiDocument } from './openapi.ts';
import { declaredErrors, type OperationSpec } from '../operation.ts';
import { chatOperations, recordsOperations } from '../operations.ts';

const operations: OperationSpec[] = [...Object.values(recordsOperations), ...Object.values(chatOperations)];

test.each(operations)('$id: every error status has an example with the right code', (spec) => {
  const examples = collectErrorExamples(spec);
  expect(new Set(examples.map(({ body }) => body.error))).toEqual(new Set(declaredErrors(spec)));
  for (const { code, status, body } of examples) {
    expect(body).toMatchObject({ error: code, message: expect.stringMatching(/\w/) });
    expect([errors[code].status, 408]).toContain(status);
  }
});

test.each(operations)('$id: the example of a validation error lists at least one problem', (spec) => {
  const { body } = collectErrorExamples(spec).find(({ code }) => code === 'validation_error')!;
  expect(body.details!.length).toBeGreaterThan(0);
});

test('the description shows each error under its own status and code', () => {
  const { paths = {}, components } = openApiDocument();
  const shared = components!.responses as unknown as Record<string, Failure>;
  for (const operation of Object.values(paths).flatMap((item) => Object.values(item as Operations))) {
    const failures = Object.entries(operation.responses).filter(([status]) => Number(status) >= 400);
    for (const [status, described] of failures) {
      const { content } = '$ref' in described ? shared[described.$ref.split('/').at(-1)!]! : described;
      for (const [code, { $ref }] of Object.entries(content['application/json'].examples)) {
        const name = $ref.replace('#/components/examples/', '');
        const { value } = components!.examples![name] as { value: { error: string } };
        expect([status, value.error]).toEqual([status, code]);
      }
    }
  }
});

interface Failure {
  content: { 'application/json': { examples: Record<string, { $ref: string }> } };
}

type Operations = Record<string, { responses: Record<string, Failure | { $ref: string }> }>;
