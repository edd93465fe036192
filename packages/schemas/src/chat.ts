export { AnswerVote, ChatRequest, conversationCharactersMax, textOf } from './chat/chat.ts';
export { DemoRequest } from './chat/demo-request.ts';
