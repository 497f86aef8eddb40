export const de = { title: "Chats" };
