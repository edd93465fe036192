export { clearDemo } from './clear-demo.operations.ts';
export { listDemoOrganizations, markDemoData, markDemoPosts } from './demo-data.sql.ts';
