import { account, lineText, nameText } from '@relata/schemas';
import { matchKeys, recordStepKinds } from './record.step.ts';

export const accountSteps = recordStepKinds(account, {
  domain: lineText().min(1),
  ...matchKeys,
  account_name: nameText(),
});
