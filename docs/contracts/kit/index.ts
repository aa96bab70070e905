// The kit for contract authors: copy this folder beside your contract. See ../tutorial.md.
export * from "./asset";
export * from "./call";
export * from "./crypto";
export * from "./data";
export * from "./name";
export * from "./system";
export * from "./table";
