import type { EvaluationContext } from '@relata/expressions';
import { Redaction } from '@relata/secrets';
import type { CompiledStepOf } from '@relata/workflows/execution';
import { type NetworkCall, type NetworkStep, networkSteps, type Reach } from './network-steps.ts';

interface StepCall extends Omit<NetworkCall, 'redaction'> {
  context: EvaluationContext;
}

/**
 * Makes the call of a step. The values of secrets are in memory only during the call: they are read and inserted here,
 * and redacted from the response and from errors.
 */
export async function callStep(
  reach: Reach,
  step: CompiledStepOf<'network'>,
  { context, ...call }: StepCall,
): Promise<unknown> {
  const make: NetworkStep = networkSteps[step.use];
  if (step.secrets.length === 0) return make(reach, { ...call, redaction: new Redaction() });
  const secrets = await reach.readSecrets(call.orgId, step.secrets);
  const redaction = new Redaction(Object.values(secrets));
  try {
    const input = step.with({ ...context, secrets });
    return redaction.json(await make(reach, { ...call, input, redaction }));
  } catch (error) {
    throw redaction.error(error);
  }
}
