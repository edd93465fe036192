export { cleanJson, cleanText, storableJson, storableJsonInSlices } from './clean-text.ts';
export { type Condition, readCondition } from './condition.ts';
export type { EvaluationContext } from './evaluation/evaluation-context.ts';
export { copyWithUnknown, defineUnknown, UnknownValueError } from './evaluation/unknown-value.ts';
export { type Key, readKey } from './key.ts';
export { sourceMax } from './expression.ts';
export { ExpressionError, isProblems, orThrow, type ExpressionProblem } from './expression.error.ts';
export {
  afterStep,
  filterNames,
  type InputType,
  insideLoop,
  type Names,
  type StepOutput,
  workflowNames,
} from './checks/names.ts';
export { hasExpression, opening, scanTemplate } from './templates/scan-template.ts';
export { type KnownValue, type MemberRules, readTemplate, type Template, textOf } from './templates/template.ts';
export { urlTemplateProblem } from './templates/url-template.ts';
