export { cleanJson } from './clean-text.ts';
export { compileCondition, isProblemList, readCondition } from './condition.ts';
export type { EvaluationContext } from './evaluation/evaluation-context.ts';
export { copyWithUnknown, defineUnknown, UnknownValueError } from './evaluation/unknown-value.ts';
export { compileKey, readKey } from './key.ts';
export { sourceMax } from './expression.ts';
export { ExpressionError, type Problem } from './expression.error.ts';
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
export { compileTemplate, type KnownValue, type MemberRules, readTemplate } from './templates/template.ts';
export { urlTemplateProblem } from './templates/url-template.ts';
