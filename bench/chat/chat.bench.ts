import type { Bench } from '../bench.ts';
import { describeMachine } from '@relata/testbed/machine';
import { measureAnswering } from './answering.ts';
import { openVisitors } from './answers.ts';
import { measureBuiltIn } from './built-in.ts';
import { measureCrowd } from './crowd.ts';
import { fullPlan, quickPlan } from './plan.ts';
import { profileChat } from './profile.ts';
import { builtInTable, crowdTable, firstTokenTable, tokenTable } from './report.ts';
import { openTestBed } from './test-bed.ts';

/** Compares the chat gateway with a minimal service on the same SDK. */
export const chatBench: Bench = async ({ isQuick, profile, stack }) => {
  const bed = await openTestBed(stack);
  if (profile !== undefined) return { text: await profileChat(bed, profile), figures: {} };
  await using visitors = openVisitors();
  const plan = isQuick ? quickPlan : fullPlan;
  const context = { bed, visitors, plan };
  const { firstTokens, tokens } = await measureAnswering(context);
  const crowd = await measureCrowd(context);
  const builtIn = await measureBuiltIn(context);
  const machine = describeMachine(bed.postgresVersion);
  const tables = [firstTokenTable(firstTokens), tokenTable(tokens), crowdTable(crowd), builtInTable(builtIn)];
  return {
    text: [machine, ...tables].join('\n\n'),
    figures: { machine, pace: plan, firstTokens, tokens, crowd, builtIn },
  };
};
