import { readFile } from 'node:fs/promises';
import { createOpenAI } from '@ai-sdk/openai';
import { pipeUIMessageStreamToResponse, streamText, toUIMessageStream } from 'ai';
import express from 'express';
import { serveReady } from '@relata/testbed/serve-ready';
import { tools } from '@relata/chat-gateway/demo-tool';
import { instructionsFor } from '@relata/chat-gateway/instructions';
import type { Findings } from './findings.ts';

// The floor, which shows the minimum cost of an answer: Express and the SDK with the gateway's options. It reads the
// passages that the gateway would find for each question from a file, and sends the model the same prompt.

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
// Exits by itself instead of by the signal, so that Node writes its CPU profile.
process.once('SIGTERM', () => process.exit());
