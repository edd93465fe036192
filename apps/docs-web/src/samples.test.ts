import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createChannel } from '@relata/channel';
import { chatOperations, type OperationSpec, recordsOperations } from '@relata/schemas';
import { type CodeSample, codeSamples } from '@relata/schemas/code-samples';
import { startTeamChannel, type TeamChannel } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestChat, type TestChat } from '../../chat-gateway/src/chat-gateway.harness.ts';
import { createSingleStage, operationBody, operationPath } from '../../records-api/src/operation-path.harness.ts';
import { startTestApi, type TestApi } from '../../records-api/src/records-api.harness.ts';
import { ResidentInterpreter } from './resident-interpreter.harness.ts';

const run = promisify(execFile);
/** Timeout in ms. A busy machine starts programs slowly. */
const timeout = 60_000;

let api: TestApi;
let chat: TestChat;
let inbox: TeamChannel;
let folder: string;
/** A stage that is the only one of its pipeline. */
let single: { id: string; pipeline_id: string };
let node: ResidentInterpreter;
let python: ResidentInterpreter;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'relata-samples-'));
  // Makes curl print the HTTP status after the body.
  await writeFile(join(folder, '.curlrc'), String.raw`write-out = "\n%{http_code}"`);
  inbox = await startTeamChannel();
  [api, chat] = await Promise.all([
    startTestApi(),
    startTestChat({ channel: createChannel({ url: inbox.url, kind: 'slack' }) }),
  ]);
  single = await createSingleStage(api.tenant.client);
  node = ResidentInterpreter.node();
  if (isInstalled) python = ResidentInterpreter.python();
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
  await python?.[Symbol.asyncDispose]();
  await api[Symbol.asyncDispose]();
  await chat[Symbol.asyncDispose]();
  await inbox[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const isOfChat = ({ id }: OperationSpec) => id in chatOperations;
const operations = [
  ...Object.values<OperationSpec>(recordsOperations),
  ...Object.values<OperationSpec>(chatOperations),
];
const languages = codeSamples(recordsOperations.getSelf).map(({ label }) => label);
const isInstalled = await run('python3', ['--version']).then(
  () => true,
  () => false,
);

/**
 * Returns the code sample of an operation, with ids of existing records in its body, and the environment variables that
 * it reads.
 */
async function sampleOf(
  spec: OperationSpec,
  language: string,
): Promise<{ sample: CodeSample; env: Record<string, string> }> {
  const { ids, key } = api.tenant;
  const isOrder = spec.id === 'orderStages';
  const documented = spec.example && !isOfChat(spec) ? await operationBody(api, api.tenant, spec) : spec.example;
  const example = isOrder ? { stage_ids: [single.id] } : documented;
  const sample = codeSamples({ ...spec, ...(example && { example }) }).find(({ label }) => label === language)!;
  const tenant = isOrder ? { ...api.tenant, ids: { ...ids, pipeline: single.pipeline_id } } : api.tenant;
  const path = isOfChat(spec) ? '' : await operationPath(api, tenant, spec);
  const [, id = ''] = new RegExp(`^${spec.path.replace('{id}', '([^/]+)')}$`).exec(path.split('?')[0]!) ?? [];
  const server = isOfChat(spec) ? { RELATA: chat.url, KEY: chat.tenant.key } : { RELATA: api.url, KEY: key };
  return {
    sample,
    env: { ...server, ID: id, PATH: process.env['PATH']!, HOME: folder },
  };
}

test.each(operations)('the curl sample of $id is answered as documented (found C3)', async (spec) => {
  const { sample, env } = await sampleOf(spec, 'curl');
  const { stdout } = await run('sh', ['-c', sample.source], { env, timeout });
  const statuses = [spec.success.status, ...(spec.mayCreate ? [201] : [])];
  expect(statuses, stdout).toContain(Number(stdout.split('\n').at(-1)));
});

test.each(operations)('the TypeScript sample of $id runs (found C3)', async (spec) => {
  const { sample, env } = await sampleOf(spec, 'TypeScript');
  const file = join(folder, `${spec.id}.mts`);
  await writeFile(file, sample.source);
  expect(await node.run({ program: file, env })).not.toBe('');
});

test('a TypeScript sample is a complete program (found C3)', async () => {
  const { sample, env } = await sampleOf(recordsOperations.listAccounts, 'TypeScript');
  const file = join(folder, 'whole.mts');
  await writeFile(file, sample.source);
  const { stdout } = await run(process.execPath, [file], { env, timeout });
  expect(stdout).not.toBe('');
});

test('the TypeScript samples compile (found C3)', async () => {
  const files = await Promise.all(
    operations.map(async (spec) => {
      const file = join(folder, `compiled-${spec.id}.mts`);
      await writeFile(file, `${(await sampleOf(spec, 'TypeScript')).sample.source}\nexport {};\n`);
      return file;
    }),
  );
  const root = join(import.meta.dirname, '../../..');
  const types = ['--typeRoots', join(root, 'node_modules/@types'), '--types', 'node'];
  const options = [
    '--noEmit',
    '--strict',
    '--target',
    'esnext',
    '--module',
    'nodenext',
    '--skipLibCheck',
    '--ignoreConfig',
    ...types,
  ];
  const { stdout } = await run(join(root, 'node_modules/.bin/tsc'), [...options, ...files], { timeout }).catch(
    (error: { stdout: string }) => error,
  );
  expect(stdout).toBe('');
});

test.for(operations)(
  'the Python sample of $id runs; skipped if python3 is not installed (found C3)',
  async (spec, context) => {
    context.skip(!isInstalled, 'needs python3');
    const { sample, env } = await sampleOf(spec, 'Python');
    expect(await python.run({ program: sample.source, env })).not.toBe('');
  },
);

test('a Python sample is a complete program; skipped if python3 is not installed (found C3)', async (context) => {
  context.skip(!isInstalled, 'needs python3');
  const { sample, env } = await sampleOf(recordsOperations.listAccounts, 'Python');
  const { stdout } = await run('python3', ['-c', sample.source], {
    env: { ...env, PYTHONIOENCODING: 'utf-8' },
    timeout,
  });
  expect(stdout).not.toBe('');
});

test('the samples have a timeout of 30 s, and more than 60 s for an answer of the chatbot', () => {
  const timeoutsOf = (spec: OperationSpec) =>
    codeSamples(spec).flatMap(({ source }) =>
      [...source.matchAll(/timeout[(=](\d+)/g)].map(([, time]) => Number(time)),
    );
  expect(timeoutsOf(chatOperations.chat)).toEqual([90, 90]);
  expect(timeoutsOf(recordsOperations.getSelf)).toEqual([30, 30]);
});

test('every operation has a sample in each language', () => {
  expect(languages).toEqual(['curl', 'TypeScript', 'Python']);
});
