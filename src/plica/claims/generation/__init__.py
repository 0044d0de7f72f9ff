"""What networks make: autoencoders, adversarial networks, the manifolds that generators draw."""
