export { AnswerVote, ChatRequest, conversationCharactersMax, messageText } from './chat/chat.ts';
export { DemoRequest } from './chat/demo-request.ts';
