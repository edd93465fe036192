import { account, lineText, nameText } from '@relata/schemas';
import { matchKeys, recordSteps } from './record.step.ts';

export const accountSteps = recordSteps(account, { domain: lineText().min(1), ...matchKeys, account_name: nameText() });
