import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Usage } from '@ai-sdk/provider';
import type { Trace, Tracing } from '@relata/telemetry';

interface ModelCall {
  model: LanguageModelV4;
  call: LanguageModelV4CallOptions;
}

/**
 * Begins the span of a call to a model. The span contains the model and its token limit, never a question or an answer.
 */
export function beginModelTrace(tracing: Tracing, { model, call }: ModelCall): Trace {
  return tracing.begin(`chat ${model.modelId}`, {
    kind: 'client',
    attributes: {
      'gen_ai.operation.name': 'chat',
      // Leaves out the suffix that the SDK appends, such as `.chat` in `openai.chat`.
      'gen_ai.provider.name': model.provider.split('.')[0]!,
      'gen_ai.request.model': model.modelId,
      'gen_ai.request.max_tokens': call.maxOutputTokens,
      'gen_ai.request.stream': true,
    },
  });
}

export function noteUsage(trace: Trace, { inputTokens, outputTokens }: LanguageModelV4Usage): void {
  trace.set({
    'gen_ai.usage.input_tokens': inputTokens.total,
    'gen_ai.usage.output_tokens': outputTokens.total,
  });
}
