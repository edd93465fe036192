import { countText, nounText } from '../ui/data/count.ts';

/** `at notify`, or where no step is to blame, that. */
export const placeText = (step: string) => (step === '-' ? 'by no step' : `at ${step}`);

export const runsText = (runs: number) => `${countText(runs)} ${nounText(runs, 'run')}`;
