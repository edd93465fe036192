import { readFile } from 'node:fs/promises';
import { createOpenAI } from '@ai-sdk/openai';
import { pipeUIMessageStreamToResponse, streamText, toUIMessageStream } from 'ai';
import express from 'express';
import { serveReady } from '@relata/testbed/serve-ready';
import { tools } from '@relata/chat-gateway/demo-tool';
import { instructionsFor } from '@relata/chat-gateway/instructions';
import type { Findings } from './findings.ts';

// Minimum cost of an answer: express and the SDK with the options of the gateway, and nothing else. It gets the
// passages that the gateway finds for each question, and sends them to the model in the same prompt.

const findings = JSON.parse(await readFile(process.env['FINDINGS_FILE']!, 'utf8')) as Findings;
const model = createOpenAI({ apiKey: 'sk-bench', baseURL: process.env['OPENAI_BASE_URL']! }).chat('bench');

interface Message {
  role: 'user' | 'assistant';
  parts: { text: string }[];
}

const app = express();

app.post('/v1/genie/chat', express.json(), async (request, response) => {
  const { messages } = request.body as { messages: Message[] };
  const turns = messages.map(({ role, parts }) => ({ role, content: parts.map(({ text }) => text).join('') }));
  const sources = findings[turns.at(-1)!.content]!;
  const instructions = instructionsFor({ organization: 'Bench', more: undefined, sources });
  const { stream } = streamText({ model, instructions, messages: turns, tools, maxOutputTokens: 1_000, maxRetries: 0 });
  await pipeUIMessageStreamToResponse({ response, stream: toUIMessageStream({ stream }) });
});

serveReady(app);
// Exits immediately but regularly, so that a profile is written.
process.once('SIGTERM', () => process.exit());
