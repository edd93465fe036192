/** `at notify`, or where no step is to blame, that. */
export const placeText = (step: string) => (step === '-' ? 'by no step' : `at ${step}`);

const grouped = new Intl.NumberFormat('en');

export const runsText = (runs: number) => (runs === 1 ? '1 run' : `${grouped.format(runs)} runs`);
